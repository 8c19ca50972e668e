import { frejaBudget, frejaSavings, nordlysBusiness } from './danish-histories.ts';
import { frejaMain } from './freja-history.ts';
import type { AccountHistory } from './history.ts';
import { elsaMain, fjallvikBusiness, jointMain } from './nordic-histories.ts';
import { OWN_NUMBERS } from './own-numbers.ts';
import { secondAccount } from './second-accounts.ts';

/** The history of each simulated account, by the account's key. */
export const HISTORIES: Readonly<Record<string, AccountHistory>> = {
  'freja-main': frejaMain,
  'freja-budget': frejaBudget,
  'freja-savings': frejaSavings,
  'freja-sek': secondAccount(
    'Freja Lindholm',
    OWN_NUMBERS['freja-sek'],
    ['Stugan vid Sjön', 180_000n],
    ['Skåne Elnät', 142_500n],
  ),
  'nordlys-business': nordlysBusiness,
  'nordlys-sek': secondAccount(
    'Nordlys Møbler ApS',
    OWN_NUMBERS['nordlys-sek'],
    ['Hotell Strandgården', 3_420_000n],
    ['Öresundsbroavgift', 415_000n],
  ),
  'elsa-main': elsaMain,
  'elsa-dkk': secondAccount(
    'Elsa Bergström',
    OWN_NUMBERS['elsa-dkk'],
    ['Københavns Aftenskole', 240_000n],
    ['Havnens Cykelparkering', 45_000n],
  ),
  'fjallvik-business': fjallvikBusiness,
  'fjallvik-dkk': secondAccount(
    'Fjällvik Handel AB',
    OWN_NUMBERS['fjallvik-dkk'],
    ['Nordlys Møbler ApS', 1_980_000n],
    ['Lagerhotel Amager', 975_000n],
  ),
  'joint-main': jointMain,
  'joint-dkk': secondAccount(
    'Ingrid Solberg',
    OWN_NUMBERS['joint-dkk'],
    ['Skagen Sommerhusudlejning', 310_000n],
    ['Skagen Vandværk', 68_000n],
  ),
  'joint-sek': secondAccount(
    'Ingrid Solberg',
    OWN_NUMBERS['joint-sek'],
    ['Dalsland Fiskeklubb', 95_000n],
    ['Båtplats Dalsland', 120_000n],
  ),
};
