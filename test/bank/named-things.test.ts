import { expect, test } from 'vitest';
import type { Facts } from '#shared/bank/about.ts';
import { otherFields } from '#shared/bank/about.ts';
import { pixFacts, recFacts, sentFacts } from '#shared/bank/dialects/efi/facts.ts';
import { PixBody, RecBody, SentBody } from '#shared/bank/dialects/efi/shapes.ts';
import { otherId, otherNumber, otherRec, pix, rec, sent } from './answered-things.ts';
import { e2e, reference } from './bank-orders.ts';

const ofRec = (more: object): Facts => recFacts(RecBody.parse({ ...rec, ...more }));
const ofPix = (more: object): Facts => pixFacts(PixBody.parse({ ...pix, ...more }));
const byCompany = (cnpj: string) => ofRec({ vinculo: { contrato: 'contract-1', devedor: { cnpj } } });
const withFloor = (floor: string) => ofRec({ valor: { valorMinimoRecebedor: floor } });
const from = (dataInicial: string, dataFinal = '2027-02-01') => ofRec({ calendario: { dataInicial, dataFinal } });

test.each<[string, Facts, Facts, readonly string[]]>([
  ['a sent Pix with another end-to-end id', { endToEndId: e2e }, ofSent({ e2eId: otherNumber }), ['endToEndId']],
  ['a rec whose id differs in case only', { idRec: otherRec }, { idRec: otherRec.toLowerCase() }, ['idRec']],
  ['a rec of another paying company', byCompany('11222333000181'), byCompany('11444777000161'), ['devedor']],
  ['a rec with another minimum of the payer’s limit', withFloor('50.00'), withFloor('50.01'), ['valorMinimoRecebedor']],
  ['a rec with another start date', from('2026-02-01'), from('2026-02-02T00:00:00Z'), ['dataInicial']],
  ['a rec with another end date', from('2026-02-01'), from('2026-02-01', '2027-02-02T00:00:00Z'), ['dataFinal']],
  ['a received Pix with another txid', ofPix({}), ofPix({ txid: otherId }), ['txid']],
  ['a received Pix with another PIX key', ofPix({}), ofPix({ chave: 'another@empresa.example' }), ['chave']],
])('a response is about another order when it has %s', (_what, asked, named, fields) => {
  expect(otherFields(asked, named)).toEqual(fields);
  expect(otherFields(asked, asked)).toEqual([]);
});

function ofSent(more: object): Facts {
  return sentFacts(SentBody.parse({ ...sent, endToEndId: undefined, ...more }));
}

test('a sent Pix has its number under either name', () => {
  expect(ofSent({ endToEndId: e2e, e2eId: otherNumber })).toEqual({ idEnvio: reference, endToEndId: e2e, valor: 1000 });
  expect(ofSent({ e2eId: e2e })).toEqual({ idEnvio: reference, endToEndId: e2e, valor: 1000 });
});

test('a rec whose bank writes times for its days is about the same days', () => {
  expect(otherFields(from('2026-02-01'), from('2026-02-01T00:00:00-03:00', '2027-02-01T23:59:59-03:00'))).toEqual([]);
});
