/** The form of a path of a screen of the page: never an address of another origin. */
export const PAGE_PATH = /^\/(?![/\\])/u;
export const MAX_PAGE_PATH_LENGTH = 2_048;
