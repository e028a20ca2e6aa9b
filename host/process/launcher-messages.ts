// Messages between the app and the program that started it from its sources, over the IPC channel of Node.js between the two.

/** Sent by the app when it runs and shows its window. */
export const APP_STARTED = 'gatehouse:started';
/** Sent by the app when it is about to end on request, or has handed over to the app that already runs. */
export const APP_LEAVES = 'gatehouse:leaves';
/** Sent to the app to end when running work has ended; a second one waits no longer, a third ends it immediately. */
export const STOP_APP = 'gatehouse:stop';

export type AppMessage = typeof APP_STARTED | typeof APP_LEAVES;
