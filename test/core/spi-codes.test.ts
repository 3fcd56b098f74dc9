import { expect, it } from 'vitest';
import { spiRejections } from '#shared/core/spi-codes.ts';

/** The reason codes of pacs.002 (BCB, Catálogo de Mensagens do SPI) on which a partner can act. */
const codes = ['AB03', 'AB09', 'AC03', 'AC06', 'AC07', 'AC14', 'AG03', 'AM02', 'BE01', 'DS04', 'ED05', 'FRAD'];

it('has the codes on which a partner can act, each with a sentence of its own', () => {
  expect(Object.keys(spiRejections)).toEqual(codes);
  const sentences = Object.values(spiRejections);
  expect(new Set(sentences).size).toBe(codes.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^The [a-z].+[a-z]\.$/u);
});
