import { expect, it } from 'vitest';
import { acceptedFormat } from '#shared/platform/http/accepted-format.ts';

const files = { csv: 'text/csv; charset=utf-8', html: 'text/html; charset=utf-8' };

it.each([
  ['', undefined],
  ['*/*', undefined],
  ['application/json', undefined],
  ['application/json, text/plain, */*', undefined],
  ['image/png', undefined],
  ['text/*', undefined],
  ['text/html', 'html'],
  ['TEXT/CSV;header=present', 'csv'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
  ['text/html, application/json', undefined],
  ['text/html;q=0.5, application/json;q=0.4', 'html'],
  ['text/html;q=0.4, application/*;q=0.5', undefined],
  ['text/html; q=0', undefined],
  ['text/csv;q=0.2, text/html;q=0.9', 'html'],
])('Accept: %s asks for %s', (accept, format) => {
  expect(acceptedFormat(accept, files)).toBe(format);
});
