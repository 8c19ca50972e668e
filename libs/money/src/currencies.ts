const codes = (list: string): readonly string[] => list.trim().split(/\s+/);

/** The codes of ISO 4217 with a minor unit, funds codes included, by the number of decimals. */
const CODES_BY_DECIMALS: readonly (readonly [decimals: number, list: readonly string[]])[] = [
  [0, codes('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF')],
  [
    2,
    codes(`
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
      COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
      INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR
      MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
      STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`),
  ],
  // Withdrawn in the last years, and still in the histories of accounts.
  [2, codes('ANG BGN CUC HRK SLL ZWL')],
  [3, codes('BHD IQD JOD KWD LYD OMR TND')],
  [4, codes('CLF UYW')],
];

/**
 * Decimals of every currency (ISO 4217). A code is never removed, so that old bookings stay readable. Metals, units of
 * account and test codes (XAU, XDR, XTS …) have no minor unit, so no amount of them is exact.
 */
export const DECIMALS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DECIMALS.flatMap(([decimals, list]) => list.map((code) => [code, decimals] as const)),
);
