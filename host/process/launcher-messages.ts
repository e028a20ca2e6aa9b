// Messages between the app and the program that started it from its sources, over the IPC channel of Node.js between the two.

/** From the app: it runs and shows its window. */
export const APP_STARTED = 'gatehouse:started';
/** From the app: it is about to end as somebody asked, or has handed over to the app that runs already. */
export const APP_LEAVES = 'gatehouse:leaves';
/** To the app: end when what runs has ended; a second one waits no longer, a third ends it at once. */
export const STOP_APP = 'gatehouse:stop';

export type AppMessage = typeof APP_STARTED | typeof APP_LEAVES;
