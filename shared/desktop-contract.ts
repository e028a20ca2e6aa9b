import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { Shortcut } from './shortcut.ts';

/** How the engine of the app is. Sentences are for people. */
export const EngineState = z.discriminatedUnion('name', [
  z.object({ name: z.enum(['starting', 'closed']) }),
  z.object({ name: z.literal('running'), port: z.number().int() }),
  /** It could not start. `next`: a port that is free, when its own is taken. */
  z.object({ name: z.literal('refused'), sentence: z.string(), next: z.number().int().nullable() }),
  /** It ended by itself. `againAt`: when it is started again (Unix ms); `null`: only when a person says so. */
  z.object({ name: z.literal('down'), againAt: z.number().nullable() }),
]);
export type EngineState = z.infer<typeof EngineState>;

/** Of updates of the app itself. */
export const UpdateState = z.discriminatedUnion('name', [
  /** This copy is not updated from here; `sentence` says why and how it is. */
  z.object({ name: z.literal('off'), sentence: z.string() }),
  z.object({ name: z.literal('idle'), checkedAt: z.number().nullable() }),
  z.object({ name: z.literal('checking') }),
  z.object({ name: z.literal('available'), version: z.string() }),
  z.object({ name: z.literal('downloading'), version: z.string(), percent: z.number() }),
  z.object({ name: z.literal('ready'), version: z.string() }),
  z.object({ name: z.literal('failed'), sentence: z.string() }),
]);
export type UpdateState = z.infer<typeof UpdateState>;

/** The app around the window. */
export const DesktopState = z.object({
  engine: EngineState,
  /** `settable`: whether it can be set here. `sentence`: why not, or what else there is to know. */
  startAtLogin: z.object({
    on: z.boolean(),
    settable: z.boolean(),
    sentence: z.string().nullable(),
  }),
  updates: UpdateState,
  /**
   * `sentence`: what there is to know about its shortcut, such as that another program has it. `command`: a line that the sentence speaks of, for
   * a shortcut of the desktop itself.
   */
  quickChat: z.object({
    shortcut: Shortcut.nullable(),
    sentence: z.string().nullable(),
    command: z.string().nullable(),
  }),
  /** Why the system shows no notices, a sentence; `null` as long as nothing is known to be wrong. */
  notices: z.string().nullable(),
});
export type DesktopState = z.infer<typeof DesktopState>;

/** An address of the page's own screens. */
export const PagePath = z
  .string()
  .max(2_048)
  .regex(/^\/(?![/\\])/u);

/** What a window is told that asked for what cannot be. The message is for people. */
const call = oc.errors({ REFUSED: { status: 422 } });

/** What the desktop app does for its window, beside the gateway's own contract. */
export const desktopContract = {
  /** The state as it is, and again after every change. Never ends by itself. */
  state: oc.output(eventIterator(DesktopState)),
  /** Starts an engine that is refused or down, for this run at another port if one is given. */
  startEngine: oc.input(z.object({ port: z.number().int().min(1).max(65_535).optional() })),
  setStartAtLogin: oc.input(z.object({ on: z.boolean() })),
  /** Ends the app once what runs has ended. Called again, it hurries. */
  quit: oc,
  updates: {
    check: oc,
    download: oc,
    /** Restarts into the new version. `when`: once no exchange runs, or at once. */
    restart: oc.input(z.object({ when: z.enum(['idle', 'now']) })),
  },
  /** The shortcut for the whole system that shows and hides the quick chat; `null` for none. Refused, the one of before stays. */
  setQuickShortcut: call.input(z.object({ shortcut: Shortcut.nullable() })),
  quick: {
    /** Shows the small window. */
    show: oc,
    hide: oc,
    /** Goes on in the large window, at this address, and hides the small one. */
    leave: oc.input(z.object({ address: PagePath })),
  },
  /** Asks the person, then opens it in the browser or the mail program, or copies it. Only addresses of the web and of mail. */
  openLink: call.input(z.object({ url: z.string() })),
};
export type DesktopContract = typeof desktopContract;
