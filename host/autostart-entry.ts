/** The autostart entry of a program with an argument, by the Desktop Entry Specification. */
export function formatAutostartEntry(program: string, argument: string): string {
  return `[Desktop Entry]
Type=Application
Name=Gatehouse
Comment=A local gateway for one account at a remote model service
${formatExecLine(program, argument)}
Icon=gatehouse-desktop
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}

/** The same entry for a program that has another name by now; what a person wrote into it stays. */
export function updateAutostartEntry(entry: string, program: string, argument: string): string {
  return entry.replace(/^Exec=.*$/mu, () => formatExecLine(program, argument));
}

function formatExecLine(program: string, argument: string): string {
  // Quoted as an argument, then escaped as a text: each backslash of the quoting stands twice.
  const quoted = program.replaceAll(/["`$\\]/gu, String.raw`\$&`).replaceAll('%', '%%');
  return `Exec=${`"${quoted}" ${argument}`.replaceAll('\\', String.raw`\\`)}`;
}

/** Whether an entry is in force: desktops switch one off in place. */
export function isEntryEnabled(entry: string): boolean {
  return entry !== '' && !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/imu.test(entry);
}
