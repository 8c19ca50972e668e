/**
 * Questions of a client about one account per hour: well above the needs of a shop, and fewer than the steps of a binary
 * search for the available amount.
 */
export const MAX_QUESTIONS = 20;
export const QUESTION_WINDOW_SECONDS = 3_600;
