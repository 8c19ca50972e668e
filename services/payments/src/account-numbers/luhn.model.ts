/** Every second digit from the right doubled, its digits added: 0 modulus 10 for a number with a check digit (Luhn). */
export function luhnSum(digits: string): number {
  return Array.from(digits, Number)
    .toReversed()
    .reduce((sum, digit, i) => {
      const product = i % 2 === 0 ? digit : 2 * digit;
      return sum + (product > 9 ? product - 9 : product);
    }, 0);
}
