import { oauthDescription } from './oauth-description.ts';

describe('oauthDescription (RFC 6749 §5.2)', () => {
  it.each([
    ['plain ASCII as it is', "It's [plain]: #1 & ~2!", "It's [plain]: #1 & ~2!"],
    ['a section sign as a word', 'a fault (RFC 5280 §6.1)', 'a fault (RFC 5280 section 6.1)'],
    ['quotes as apostrophes, a backslash as a slash', '"a" “b” ‘c’ \\d', "'a' 'b' 'c' /d"],
    ['dashes as hyphens, an ellipsis as dots', 'a – b — c−d…', 'a - b - c-d...'],
    ['letters without their accents', 'Ærø, Åse, Zoë, Đorđe', 'AEro, Ase, Zoe, Dorde'],
    ['blanks and controls as spaces', 'a\u00a0b\u2028c\u0007d\u007fe', 'a b c d e'],
    ['other characters as question marks', '北 \u{1f600}', '? ?'],
  ])('writes %s', (_what, text, description) => {
    expect(oauthDescription(text)).toBe(description);
    expect(description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
  });
});
