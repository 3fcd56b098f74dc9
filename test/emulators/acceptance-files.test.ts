import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lackingTests } from '#test/support/lacking.ts';
import { atBanks, inOneEnvironment, onDeployments, pathsOf } from '#tools/emulators/acceptance-files.ts';

const files = ['test/acceptance', 'test/slow/acceptance'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
);

test('each file of the acceptance suite runs on deployments, or has a reason why not', () => {
  const lists = [...pathsOf(onDeployments), ...pathsOf(inOneEnvironment)];
  expect(lists.toSorted()).toEqual(files.toSorted());
});

test('each test that a bank lacks something for is listed once, in a file for another bank', () => {
  const listed = Object.values(lackingTests).flatMap((names) =>
    Object.entries(names).flatMap(([file, tests]) => tests.map((name) => `${file} ${name}`)),
  );
  expect(new Set(listed).size).toBe(listed.length);
  const listedFiles = Object.values(lackingTests).flatMap((names) => Object.keys(names));
  expect(listedFiles.filter((file) => !(file in atBanks))).toEqual([]);
});

test('each file in the list for another bank is a file of the acceptance suite', () => {
  expect(pathsOf(atBanks).filter((path) => !files.includes(path))).toEqual([]);
});
