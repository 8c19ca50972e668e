import { frejaBudget, frejaSavings, nordlysBusiness } from './danish-histories.ts';
import { frejaMain } from './freja-history.ts';
import type { AccountHistory } from './history.ts';
import { elsaMain, fjallvikBusiness, jointMain } from './nordic-histories.ts';

/** What happened on each simulated account, by the account's key. */
export const HISTORIES: Readonly<Record<string, AccountHistory>> = {
  'freja-main': frejaMain,
  'freja-budget': frejaBudget,
  'freja-savings': frejaSavings,
  'nordlys-business': nordlysBusiness,
  'elsa-main': elsaMain,
  'fjallvik-business': fjallvikBusiness,
  'joint-main': jointMain,
};
