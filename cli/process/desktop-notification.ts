import { type CommandLine, runProgram } from '../../host/process/child-process.ts';

export interface DesktopNotification {
  readonly title: string;
  readonly text: string;
}

const TIMEOUT_MS = 5_000;

/** Shows a notification on the desktop where there is one. Never fails; whether anybody sees it is unknown. */
export async function showNotification(
  notification: DesktopNotification,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const notifier = findNotifier(process.platform, environment, notification);
  if (notifier === null) return;
  await runProgram(notifier, { env: environment, timeout: TIMEOUT_MS }).catch(() => undefined);
}

/**
 * Finds the program that shows a notification on this desktop; `null` without a graphical session, and on Windows, which has no such
 * program. No shell interprets the text.
 */
export function findNotifier(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  { title, text }: DesktopNotification,
): CommandLine | null {
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
    ];
    return {
      program: 'osascript',
      args: [...script.flatMap((line) => ['-e', line]), '--', title, text],
    };
  }
  const screen = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '';
  return platform === 'win32' || screen === ''
    ? null
    : { program: 'notify-send', args: ['--app-name=Gatehouse', '--', title, withoutMarkup(text)] };
}

/** The text of a notification may contain markup (Desktop Notifications Specification, section "Markup"). */
function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
