/** How the systems know the app: its packages, its notices, and its entry among the applications of Linux, which has `.desktop` behind it. */
export const APP_ID = 'dev.gatehouse.app';
