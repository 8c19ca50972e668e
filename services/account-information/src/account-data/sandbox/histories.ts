import {
  estateRent,
  frejaBudget,
  frejaSavings,
  heavyMain,
  nordlysBusiness,
  overdrawnMain,
} from './danish-histories.ts';
import { frejaMain } from './freja-history.ts';
import { type AccountHistory, NO_HISTORY } from './history.ts';
import { elsaMain, fjallvikBusiness, jointMain } from './nordic-histories.ts';
import { ESTATE_ACCOUNTS, OWN_NUMBERS } from './own-numbers.ts';
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
  'overdrawn-main': overdrawnMain,
  'overdrawn-sek': secondAccount(
    'Viggo Storm',
    OWN_NUMBERS['overdrawn-sek'],
    ['Malmö Bilverkstad', 30_000n],
    ['Kreditbolaget Sund', 85_000n],
  ),
  'empty-main': NO_HISTORY,
  'empty-sek': NO_HISTORY,
  ...Object.fromEntries(ESTATE_ACCOUNTS.map((key, index) => [key, estateRent(key, index)])),
  'estate-sek': secondAccount(
    'Ejendomme Holm ApS',
    OWN_NUMBERS['estate-sek'],
    ['Hyresgäst Möllan', 940_000n],
    ['Malmö Fjärrvärme', 310_000n],
  ),
  'declining-main': secondAccount(
    'Nanna Holm',
    OWN_NUMBERS['declining-main'],
    ['Kystens Bageri', 1_450_000n],
    ['Havnens Vandværk', 120_000n],
  ),
  'declining-sek': secondAccount(
    'Nanna Holm',
    OWN_NUMBERS['declining-sek'],
    ['Lunds Antikvariat', 60_000n],
    ['Skånetågen', 35_000n],
  ),
  'heavy-main': heavyMain,
  'heavy-sek': secondAccount(
    'Havnekiosken ApS',
    OWN_NUMBERS['heavy-sek'],
    ['Öresundsresor', 210_000n],
    ['Skånsk Glass', 160_000n],
  ),
};
