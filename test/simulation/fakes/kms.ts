import { p256 } from '@noble/curves/nist.js';
import { createPublicKey } from 'node:crypto';
import { world } from '../world/current.ts';

/* `@aws-sdk/client-kms` for the service: the one key of the world, by the calls that the service makes. */

const scalar = Buffer.alloc(32, 7);
const point = Buffer.from(p256.getPublicKey(scalar, false));
const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });

export class SignCommand {
  readonly input: { readonly Message: Buffer };
  constructor(input: SignCommand['input']) {
    this.input = input;
  }
}

export class GetPublicKeyCommand {
  readonly input: { readonly KeyId: string };
  constructor(input: GetPublicKeyCommand['input']) {
    this.input = input;
  }
}

export class KMSClient {
  send(command: SignCommand | GetPublicKeyCommand): Promise<object> {
    const { actors, rights } = world();
    rights.ask(['signs'], command.constructor.name);
    return actors.step({ name: command.constructor.name, canFail: true }, () =>
      command instanceof SignCommand
        ? { Signature: p256.sign(command.input.Message, scalar, { prehash: false, format: 'der' }) }
        : { PublicKey: publicKey.export({ format: 'der', type: 'spki' }) },
    );
  }
}
