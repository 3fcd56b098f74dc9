import { describe, expect, it } from 'vitest';
import { chargeLocation, orderOfLocation, parseLocation } from '#shared/core/br-code/location.ts';

const id = '6f1b3c2e-1a2b-4c3d-8e4f-00000000ab00';

describe('the address of a charge', () => {
  it('carries the order in 32 hexadecimal digits and leads back to it', () => {
    const url = chargeLocation('pix.service.example', id);
    expect(url).toBe('pix.service.example/qr/v2/cob/6f1b3c2e1a2b4c3d8e4f00000000ab00');
    expect(orderOfLocation('pix.service.example', url)).toBe(id);
    expect(orderOfLocation('PIX.Service.example', url)).toBe(id);
  });

  it.each([
    ['another host', 'pix.other.example/qr/v2/cob/6f1b3c2e1a2b4c3d8e4f00000000ab00'],
    ['another kind of payload', 'pix.service.example/qr/v2/rec/6f1b3c2e1a2b4c3d8e4f00000000ab00'],
    ['a segment before its path', 'pix.service.example/x/qr/v2/cob/6f1b3c2e1a2b4c3d8e4f00000000ab00'],
    ['a segment after its path', 'pix.service.example/qr/v2/cob/6f1b3c2e1a2b4c3d8e4f00000000ab00/x'],
    ['a token of another form', 'pix.service.example/qr/v2/cob/abc'],
    ['a scheme', 'https://pix.service.example/qr/v2/cob/6f1b3c2e1a2b4c3d8e4f00000000ab00'],
  ])('leads to no order when it has %s', (_name, url) => {
    expect(orderOfLocation('pix.service.example', url)).toBeUndefined();
  });
});

it('a location has a host of labels, one-letter ones too, and a path without blanks', () => {
  expect(parseLocation('p.service.example/c/1')).toEqual({ host: 'p.service.example', path: '/c/1' });
  expect(parseLocation('pix.service.example/c/1 2')).toBeUndefined();
  expect(parseLocation('pix.service.example/c/1?')).toBeUndefined();
});
