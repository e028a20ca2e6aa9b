/** The id of the app in its packages, its notifications, and its Linux desktop entry, where `.desktop` follows it. */
export const APP_ID = 'dev.gatehouse.app';
