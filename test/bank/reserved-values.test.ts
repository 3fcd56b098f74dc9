import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import { tedSendingTime } from '#shared/payouts/ted-calendar.ts';
import { chargeRejectionCodes, settlementErrorCodes } from '#shared/sandbox/charge-events.ts';
import { spiRejections } from '#shared/core/spi-codes.ts';
import {
  limitedKey,
  refusedAccounts,
  reservedCharges,
  reservedKeys,
  timeoutAccount,
} from '#shared/bank/simulated/reserved.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');

test('the partners’ guide has exactly the codes of the simulated bank, each with its account number and its text', () => {
  const rows = [...guide.matchAll(/^\| `([A-Z]{2,4}[0-9]{0,2})`\s*\| `([0-9]{8})`\s*\| (.+?)\s*\|$/gmu)];
  expect(rows.map(([, code, number, text]) => [code, number, text])).toEqual(
    Object.entries(spiRejections).map(([code, text]) => [
      code,
      refusedAccounts[code as keyof typeof spiRejections],
      text,
    ]),
  );
});

test('the partners’ guide names every other reserved value', () => {
  for (const value of [...Object.values(reservedKeys), limitedKey, timeoutAccount])
    expect(guide).toContain(`\`${value}\``);
  for (const value of Object.values(reservedCharges)) expect(guide).toContain(`…/${value}`);
});

test('the partners’ guide lists the codes that a scheduled payment can ask for', () => {
  const listed = (status: string) => {
    const [, row = ''] = new RegExp(`^- \`${status}\`: ([^.]+)\\.$`, 'mu').exec(guide) ?? [];
    return [...row.matchAll(/`([A-Z0-9]{4})`/gu)].map(([, code]) => code);
  };
  expect(listed('REJECTED')).toEqual([...chargeRejectionCodes]);
  expect(listed('ERROR')).toEqual([...settlementErrorCodes]);
});

test('the partners’ guide has the same hours for the outcome of a TED as the TED calendar', () => {
  const [, opens = '', closes = ''] = /from (\d\d:\d\d) to (\d\d:\d\d)\s+of a banking day/u.exec(guide) ?? [];
  const [first, last] = [opens, closes].map((time) => instantAt('2026-01-15', time));
  expect([first!, plusSeconds(last!, -1)].map(tedSendingTime)).toEqual([first, plusSeconds(last!, -1)]);
  expect(tedSendingTime(plusSeconds(first!, -1))).toBe(first);
  expect(tedSendingTime(last!)).toBe(instantAt('2026-01-16', opens));
});

test('each reserved account number has one meaning', () => {
  const accountNumbers = [...Object.values(refusedAccounts), timeoutAccount];
  expect(new Set(accountNumbers).size).toBe(accountNumbers.length);
});
