import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addCounts, missedPercent, readCounts, countTables, totalOf } from '#tools/fuzz/counts.ts';

const one = {
  operations: {
    getPayIn: { cases: 3, statuses: { 200: 2, 404: 1 }, reads: 2, missed: 1 },
    createPayIn: { cases: 2, statuses: { 201: 2 }, reads: 0, missed: 0 },
  },
  faults: { 'slow=20': 1 },
};
const other = {
  operations: { getPayIn: { cases: 4, statuses: { 200: 3, 503: 1 }, reads: 3, missed: 0 } },
  faults: { 'slow=20': 2, 'lost-reply': 1 },
};

test('the counts of several walks are added up', () => {
  const both = addCounts([one, other]);
  expect(both.operations['getPayIn']).toEqual({
    ...{ cases: 7, reads: 5, missed: 1 },
    statuses: { 200: 5, 404: 1, 503: 1 },
  });
  expect(both.faults).toEqual({ 'lost-reply': 1, 'slow=20': 3 });
  expect(totalOf(both)).toMatchObject({ cases: 9, statuses: { 200: 5, 201: 2, 404: 1, 503: 1 } });
  expect(totalOf(addCounts([]))).toEqual({ cases: 0, statuses: {}, reads: 0, missed: 0 });
});

test('the missed share is the percentage of reads of created records that found none', () => {
  expect(missedPercent({ reads: 40, missed: 1 })).toBe(2.5);
  expect(missedPercent({ reads: 0, missed: 0 })).toBeUndefined();
});

test('the tables have a row for each operation, one for all, and one for each fault', () => {
  expect(countTables(one).split('\n')).toEqual([
    '| Operation | Cases | Statuses | Reads of created items | 404 of them |',
    '| --- | --- | --- | --- | --- |',
    '| createPayIn | 2 | 201: 2 | – | – |',
    '| getPayIn | 3 | 200: 2, 404: 1 | 2 | 50.0 % |',
    '| all | 5 | 200: 2, 201: 2, 404: 1 | 2 | 50.0 % |',
    '',
    '| Fault | Cases |',
    '| --- | --- |',
    '| slow=20 | 1 |',
  ]);
});

test('counts are empty when a walk sent no request, and refused when the file has another form', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counts-'));
  try {
    const file = join(folder, 'counts.json');
    expect(readCounts(file)).toEqual({ operations: {}, faults: {} });
    writeFileSync(file, JSON.stringify(one));
    expect(readCounts(file)).toEqual(one);
    writeFileSync(file, JSON.stringify({ operations: [] }));
    expect(() => readCounts(file)).toThrow('operations');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
