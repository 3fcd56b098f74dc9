import { expect, test } from 'vitest';
import { withNewValue, withOtherIds } from '#fake-bank/faults.ts';

const key = '6e290347-330d-4b3a-8ebb-2ac217ad6eb3';
const endToEndId = 'E3240250220211022203051750897529';
const body = {
  data: [{ request_control_key: key, end_to_end_id: endToEndId, pix_transfer_status: 'sent', valor: '1.00' }],
};

test('OTHER_THING puts another id of the same form in the place of one, or of every one, and changes nothing else', () => {
  expect(withOtherIds(body, key)).toEqual({
    data: [{ ...body.data[0], request_control_key: '6e290347-330d-4b3a-8ebb-2ac217ad6eb0' }],
  });
  expect(withOtherIds(body, undefined)).toEqual({
    data: [
      {
        ...body.data[0],
        request_control_key: '6e290347-330d-4b3a-8ebb-2ac217ad6eb0',
        end_to_end_id: 'E3240250220211022203051750897520',
      },
    ],
  });
  expect(withOtherIds({ id: 'a0' }, 'a0')).toEqual({ id: 'a1' });
});

test('NEW_VALUE changes a status by either name, where the object has the id', () => {
  expect(withNewValue(body, key)).toEqual({ data: [{ ...body.data[0], pix_transfer_status: 'VALOR_NOVO' }] });
  expect(
    withNewValue(
      [
        { txid: 'a', status: 'ATIVA' },
        { txid: 'b', status: 'ATIVA' },
      ],
      'b',
    ),
  ).toEqual([
    { txid: 'a', status: 'ATIVA' },
    { txid: 'b', status: 'VALOR_NOVO' },
  ]);
  expect(withNewValue(body, 'other')).toEqual(body);
});
