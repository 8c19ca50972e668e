import { frejaBudget, frejaSavings, nordlysBusiness } from './danish-histories.ts';
import { frejaMain } from './freja-history.ts';
import type { AccountHistory } from './history.ts';
import { elsaMain, fjallvikBusiness, jointMain } from './nordic-histories.ts';
import { OWN_NUMBERS } from './own-numbers.ts';
import { secondAccount } from './second-accounts.ts';

/** What happened on each simulated account, by the account's key. */
export const HISTORIES: Readonly<Record<string, AccountHistory>> = {
  'freja-main': frejaMain,
  'freja-budget': frejaBudget,
  'freja-savings': frejaSavings,
  'freja-sek': secondAccount({
    holder: 'Freja Lindholm',
    number: OWN_NUMBERS.frejaSek,
    payer: 'Stugan vid Sjön',
    received: 180_000n,
    biller: 'Skåne Elnät',
    billed: 142_500n,
  }),
  'nordlys-business': nordlysBusiness,
  'nordlys-sek': secondAccount({
    holder: 'Nordlys Møbler ApS',
    number: OWN_NUMBERS.nordlysSek,
    payer: 'Hotell Strandgården',
    received: 3_420_000n,
    biller: 'Öresundsbroavgift',
    billed: 415_000n,
  }),
  'elsa-main': elsaMain,
  'elsa-dkk': secondAccount({
    holder: 'Elsa Bergström',
    number: OWN_NUMBERS.elsaDkk,
    payer: 'Københavns Aftenskole',
    received: 240_000n,
    biller: 'Havnens Cykelparkering',
    billed: 45_000n,
  }),
  'fjallvik-business': fjallvikBusiness,
  'fjallvik-dkk': secondAccount({
    holder: 'Fjällvik Handel AB',
    number: OWN_NUMBERS.fjallvikDkk,
    payer: 'Nordlys Møbler ApS',
    received: 1_980_000n,
    biller: 'Lagerhotel Amager',
    billed: 975_000n,
  }),
  'joint-main': jointMain,
  'joint-dkk': secondAccount({
    holder: 'Ingrid Solberg',
    number: OWN_NUMBERS.jointDkk,
    payer: 'Skagen Sommerhusudlejning',
    received: 310_000n,
    biller: 'Skagen Vandværk',
    billed: 68_000n,
  }),
  'joint-sek': secondAccount({
    holder: 'Ingrid Solberg',
    number: OWN_NUMBERS.jointSek,
    payer: 'Dalsland Fiskeklubb',
    received: 95_000n,
    biller: 'Båtplats Dalsland',
    billed: 120_000n,
  }),
};
