import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LocalTemplate } from '#cdk-local/template/local-template.ts';
import { saveTemplate, takeTemplate } from '#cdk-local/template/saved-template.ts';

const root = mkdtempSync(join(tmpdir(), 'template-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

test('a saved template is the same again, with files of its own: what was saved may be deleted', () => {
  const saved = join(root, 'saved');
  mkdirSync(join(saved, 'out', 'asset', 'deeper'), { recursive: true });
  writeFileSync(join(saved, 'out', 'asset', 'index.mjs'), 'handler');
  writeFileSync(join(saved, 'out', 'asset', 'deeper', 'part.mjs'), 'part');
  writeFileSync(join(saved, 'out', 'template.json'), '{}');
  const template: LocalTemplate = {
    resources: [{ id: 'Table', stack: 'Local-Data', type: 'T', properties: { Size: { Ref: 'P' } } }],
    exports: new Map([['Arn', { stack: 'Local-Data', value: { Ref: 'Table' } }]]),
    assets: new Map([
      ['a.zip', join(saved, 'out', 'asset')],
      ['t.json', join(saved, 'out', 'template.json')],
    ]),
  };
  saveTemplate(saved, template);

  const folder = join(root, 'taken');
  mkdirSync(folder);
  writeFileSync(join(folder, 'left'), 'by an earlier start');
  const taken = takeTemplate(saved, folder);
  rmSync(saved, { recursive: true });
  expect({ ...taken, assets: undefined }).toEqual({ ...template, assets: undefined });
  expect(readFileSync(join(taken.assets.get('a.zip') ?? '', 'index.mjs'), 'utf8')).toBe('handler');
  expect(readFileSync(join(taken.assets.get('a.zip') ?? '', 'deeper', 'part.mjs'), 'utf8')).toBe('part');
  expect(readFileSync(taken.assets.get('t.json') ?? '', 'utf8')).toBe('{}');
  expect(() => readFileSync(join(folder, 'left'))).toThrow('ENOENT');
});
