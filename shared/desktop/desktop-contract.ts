import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { MAX_PAGE_PATH_LENGTH, PAGE_PATH } from './page-path.ts';
import { Shortcut } from './shortcut.ts';

/** State of the app's engine. `sentence` is for people. */
export const EngineState = z.discriminatedUnion('name', [
  z.object({ name: z.enum(['starting', 'closed']) }),
  z.object({ name: z.literal('running'), port: z.number().int() }),
  /** The engine could not start. `next`: a free port, when its own is taken. */
  z.object({ name: z.literal('refused'), sentence: z.string(), next: z.number().int().nullable() }),
  /** The engine stopped by itself. `againAt`: time of the next start (Unix ms); `null`: only on request. */
  z.object({ name: z.literal('down'), againAt: z.number().nullable() }),
]);
export type EngineState = z.infer<typeof EngineState>;

/** State of updates of the app itself. */
export const UpdateState = z.discriminatedUnion('name', [
  /** This copy does not update itself; `sentence` says why, and how to update it. */
  z.object({ name: z.literal('off'), sentence: z.string() }),
  z.object({ name: z.literal('idle'), checkedAt: z.number().nullable() }),
  z.object({ name: z.literal('checking') }),
  z.object({ name: z.literal('available'), version: z.string() }),
  z.object({ name: z.literal('downloading'), version: z.string(), percent: z.number() }),
  z.object({ name: z.literal('ready'), version: z.string() }),
  z.object({ name: z.literal('failed'), sentence: z.string() }),
]);
export type UpdateState = z.infer<typeof UpdateState>;

/** State of the desktop app around the window. */
export const DesktopState = z.object({
  engine: EngineState,
  /** `settable`: whether it can be set here. `sentence`: why not, or a note. */
  startAtLogin: z.object({
    on: z.boolean(),
    settable: z.boolean(),
    sentence: z.string().nullable(),
  }),
  updates: UpdateState,
  /**
   * `sentence`: a note about its shortcut, such as that another program uses it. `command`: a line that the sentence refers
   * to, for a shortcut of the desktop environment.
   */
  quickChat: z.object({
    shortcut: Shortcut.nullable(),
    sentence: z.string().nullable(),
    command: z.string().nullable(),
  }),
  /** Why the system shows no notifications; `null` as long as no problem is known. */
  notices: z.string().nullable(),
});
export type DesktopState = z.infer<typeof DesktopState>;

/** Path of a screen of the page. */
const PagePath = z.string().max(MAX_PAGE_PATH_LENGTH).regex(PAGE_PATH);

/** Error for a window that requests the impossible. The message is for people. */
const call = oc.errors({ REFUSED: { status: 422 } });

/** The contract of the desktop app for its window, beside the gateway's own contract. */
export const desktopContract = {
  /** Streams the state now and after every change, without end. */
  state: oc.output(eventIterator(DesktopState)),
  /** Starts an engine that is refused or down, for this run at another port if one is given. */
  startEngine: oc.input(z.object({ port: z.number().int().min(1).max(65_535).optional() })),
  setStartAtLogin: oc.input(z.object({ on: z.boolean() })),
  /** Quits the app after the running exchanges have ended. A second call quits at once. */
  quit: oc,
  updates: {
    check: oc,
    download: oc,
    /** Restarts into the new version. `when`: once no exchange is running, or now. */
    restart: oc.input(z.object({ when: z.enum(['idle', 'now']) })),
  },
  /** Sets the global shortcut that shows and hides the quick chat; `null` for none. When rejected, the previous one stays. */
  setQuickShortcut: call.input(z.object({ shortcut: Shortcut.nullable() })),
  quick: {
    /** Shows the quick chat window. */
    show: oc,
    hide: oc,
    /** Continues in the main window at this address, and hides the quick chat. */
    leave: oc.input(z.object({ address: PagePath })),
  },
  /** Asks the person, then opens the address in the browser or the mail program, or copies it. Only web and mail addresses. */
  openLink: call.input(z.object({ url: z.string() })),
};
export type DesktopContract = typeof desktopContract;
