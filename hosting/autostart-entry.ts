/** The autostart entry of a program with an argument, by the Desktop Entry Specification. */
export function autostartEntry(program: string, argument: string): string {
  // Quoted as an argument, then escaped as a text: each backslash of the quoting stands twice.
  const quoted = program.replaceAll(/["`$\\]/gu, String.raw`\$&`).replaceAll('%', '%%');
  const exec = `"${quoted}" ${argument}`.replaceAll('\\', String.raw`\\`);
  return `[Desktop Entry]
Type=Application
Name=Gatehouse
Comment=A local gateway for one account at a remote model service
Exec=${exec}
Icon=gatehouse
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}

/** Whether an entry is in force: desktops switch one off in place. */
export function isEntryOn(entry: string): boolean {
  return entry !== '' && !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/imu.test(entry);
}
