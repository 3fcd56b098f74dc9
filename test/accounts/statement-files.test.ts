import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { csvPage, ofxPage } from '#shared/accounts/files/statement-file.ts';
import { addCentavos, centavos, formatAmount, parseDecimal } from '#shared/core/money.ts';
import { fc } from '../support/properties.ts';

type Entry = z.output<typeof LedgerEntryRecord>;

const entry = (more: Partial<Entry> = {}): Entry => ({
  id: '4b5a6978-8796-4a5b-9c4d-3e2f10213243',
  accountId: '57827aa1-c3c5-425d-a104-959dd5c0a3b8',
  type: 'PAY_IN',
  available: '29.90',
  reserved: '0.00',
  blocked: '0.00',
  // 22:30 of the day before in Brasilia.
  createdAt: '2026-01-16T01:30:05.123Z',
  ...more,
});
const statement = {
  account: {
    ...{ ispb: '99999999', branchNumber: '0001', accountNumber: '123456-7', accountType: 'PAYMENT_ACCOUNT' as const },
    createdAt: '2026-01-01T03:00:00.000Z',
  },
  from: '2026-01-01T03:00:00.000Z',
  to: '2026-02-01T03:00:00.000Z',
  at: '2026-02-02T15:04:05.000Z',
  balance: centavos(12_345),
  available: centavos(-5),
};
const reserved = { type: 'PAYOUT_RESERVED', available: '-5.00', reserved: '5.00' } as const;
const paid = { type: 'PAYOUT_PAID', available: '0.00', reserved: '-5.00' } as const;
const named = (name: string): Partial<Entry> => ({
  counterparty: { name, document: { type: 'CPF', number: '52998224725' } },
});

describe('the CSV file of a statement', () => {
  it('has a header on its first page alone, and a line for each entry, with the total that its parts make', () => {
    const lines = csvPage([entry(), entry(reserved), entry(paid)], true).split('\r\n');
    expect(lines[0]).toBe(
      'createdAt,type,available,reserved,blocked,total,counterpartyName,counterpartyDocument,counterpartyIspb,' +
        'counterpartyBranch,counterpartyAccount,endToEndId,controlNumber,orderId,refundId,creditId,disputeId,accountId,id',
    );
    expect(lines.slice(1, 4).map((line) => line.split(',').slice(1, 6).join(' '))).toEqual([
      'PAY_IN 29.90 0.00 0.00 29.90',
      'PAYOUT_RESERVED -5.00 5.00 0.00 0.00',
      'PAYOUT_PAID 0.00 -5.00 0.00 -5.00',
    ]);
    expect(lines.slice(4)).toEqual(['']);
    expect(csvPage([entry()], false)).toBe(`${lines[1]}\r\n`);
  });

  it.each([
    ['Souza, Maria', '"Souza, Maria"'],
    ['Maria "Mia" Souza', '"Maria ""Mia"" Souza"'],
    ['Maria\nSouza', '"Maria\nSouza"'],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+55', "'+55"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
  ])('writes the name %j as %s, which no spreadsheet calculates', (name, cell) => {
    expect(csvPage([entry(named(name))], false)).toContain(`,29.90,${cell},52998224725,`);
  });
});

describe('the OFX file of a statement', () => {
  it('has the account, the period, each move of the account’s money by its day in Brasilia, and the balance', () => {
    const text = ofxPage([entry({ endToEndId: 'E60701190202601151205A1b2C3d4E5f' }), entry(reserved)], statement);
    expect(text).toContain('<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>');
    expect(text).toContain(
      '<BANKACCTFROM><BANKID>99999999</BANKID><BRANCHID>0001</BRANCHID><ACCTID>123456-7</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>',
    );
    expect(text).toContain('<DTSTART>20260101000000[-3:BRT]</DTSTART><DTEND>20260201000000[-3:BRT]</DTEND>');
    expect(text.match(/<STMTTRN>.*<\/STMTTRN>/gu)).toEqual([
      '<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260115223005[-3:BRT]</DTPOSTED><TRNAMT>29.90</TRNAMT>' +
        '<FITID>4b5a6978-8796-4a5b-9c4d-3e2f10213243</FITID><REFNUM>E60701190202601151205A1b2C3d4E5f</REFNUM>' +
        '<MEMO>PAY_IN E60701190202601151205A1b2C3d4E5f</MEMO></STMTTRN>',
    ]);
    expect(text).toContain('<LEDGERBAL><BALAMT>123.45</BALAMT><DTASOF>20260202120405[-3:BRT]</DTASOF></LEDGERBAL>');
    expect(text).toContain('<AVAILBAL><BALAMT>-0.05</BALAMT>');
  });

  it.each([
    ['PAYOUT_PAID', 'DEBIT', paid],
    ['BANK_FEE', 'FEE', { type: 'BANK_FEE', available: '-0.50' }],
    ['DEPOSIT', 'DEP', { type: 'DEPOSIT' }],
    ['PAYOUT_RECEIVED', 'XFER', { type: 'PAYOUT_RECEIVED' }],
  ] as const)('names %s as %s', (_type, shown, more) => {
    expect(ofxPage([entry(more)], statement)).toContain(`<TRNTYPE>${shown}</TRNTYPE>`);
  });

  it('writes a name of another bank as text of XML, cut to 32 characters', () => {
    const text = ofxPage([entry(named('A</NAME><TRNAMT>9 & \u{0}\u{FFFF}B'))], statement);
    expect(text).toContain('<NAME>A&lt;/NAME&gt;&lt;TRNAMT&gt;9 &amp; B</NAME>');
    expect(ofxPage([entry(named('x'.repeat(40)))], statement)).toContain(`<NAME>${'x'.repeat(32)}</NAME>`);
  });
});

it('both files add up to what the entries add up to, whatever they are', () => {
  const part = fc.integer({ min: -(10 ** 12), max: 10 ** 12 }).map((count) => formatAmount(centavos(count)));
  const parts = fc.record({ available: part, reserved: part, blocked: part });
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (all) => {
      const entries = all.map((amounts) => entry(amounts));
      const expected = addCentavos(
        ...all.flatMap(({ available, reserved: held, blocked }) => [available, held, blocked].map(parseDecimal)),
      );
      const inCsv = csvPage(entries, false)
        .split('\r\n')
        .filter(Boolean)
        .map((line) => parseDecimal(line.split(',')[5] ?? ''));
      const inOfx = [...ofxPage(entries, statement).matchAll(/<TRNAMT>([^<]*)/gu)].map(([, amount = '']) =>
        parseDecimal(amount),
      );
      expect([addCentavos(...inCsv), addCentavos(...inOfx)]).toEqual([expected, expected]);
    }),
  );
});
