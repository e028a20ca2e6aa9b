/** Limits of a filter. */
export const MAX_FILTER_LENGTH = 4_000;
export const MAX_TERMS = 50;
/** Maximum number of names in one filter for one field. */
export const MAX_NAMES = 50;
/** Maximum length of a name, and of all words together or of one exact text. */
export const MAX_NAME_LENGTH = 1_000;
export const MAX_TEXT_LENGTH = 200;
/** Texts to find in requests and responses. */
export const MAX_BODY_TEXTS = 10;
