import { amountNumber } from '../amount.wire.ts';
import type { Account } from './account.repository.ts';

/** The JSON text of an account (specification §2.2); what is not known is omitted. */
export function accountJson(account: Account): string {
  const { currency } = account;
  const text = (value: string | boolean | null): string | undefined =>
    value === null ? undefined : JSON.stringify(value);
  const amount = (minorUnits: bigint | null): string | undefined =>
    minorUnits === null ? undefined : amountNumber(minorUnits, currency);
  const members: Record<string, string | undefined> = {
    id: text(account.id),
    name: text(account.name),
    currency: text(currency),
    bban: text(account.bban),
    iban: text(account.iban),
    swift: text(account.swift),
    balanceAmount: amount(account.balance),
    balanceReservedAmount: amount(account.reserved),
    balanceAvailableAmount: amount(account.available),
    creditLimitAmount: amount(account.creditLimit),
    type: text(account.type),
    supportsPayments: text(account.supportsPayments),
    supportsTransfers: text(account.supportsTransfers),
    ownerName: text(account.ownerName),
    usage: text(account.usage),
  };
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${present.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}
