/**
 * Questions of a client about one account in an hour: well above what a shop needs, and fewer than a binary search for the
 * available amount takes.
 */
export const MAX_QUESTIONS = 20;
export const QUESTION_WINDOW_SECONDS = 3_600;
