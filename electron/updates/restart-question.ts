import { dialog } from 'electron';
import { isFree } from '../../shared/money/charge.ts';
import { pluralize } from '../../shared/format.ts';

/** Asks when to restart if exchanges run; `null`: not now. `service`: the stable id of the service in use. */
export async function askToRestart(
  running: number,
  service: string | null,
): Promise<'idle' | 'now' | null> {
  if (running === 0) return 'idle';
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: `${pluralize(running, 'request')} in progress`,
    detail: `A restart cancels them${isFree(service) ? '' : '; the service may still charge'}. Videos continue after the restart.`,
    buttons: ['Restart when they have ended', 'Restart now', 'Later'],
    defaultId: 0,
    cancelId: 2,
  });
  return (['idle', 'now'] as const)[response] ?? null;
}
