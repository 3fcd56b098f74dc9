import { world } from '../world/current.ts';

/* `@aws-sdk/client-s3` for the service: the bucket of roots, which takes each object once. */

const objects = new Map<string, string>();

/** The text of each object, by its key. */
export const bucketObjects: ReadonlyMap<string, string> = objects;

export class S3ServiceException extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  constructor(httpStatusCode: number) {
    super('At least one of the pre-conditions you specified did not hold');
    this.$metadata = { httpStatusCode };
  }
}

export class PutObjectCommand {
  readonly input: { readonly Key: string; readonly Body: string; readonly IfNoneMatch?: string };
  constructor(input: PutObjectCommand['input']) {
    this.input = input;
  }
}

export class S3Client {
  send({ input: { Key, Body, IfNoneMatch } }: PutObjectCommand): Promise<object> {
    const { actors, rights } = world();
    rights.ask(['roots: puts'], 'PutObject');
    return actors.step({ name: 'PutObject', canFail: true }, () => {
      if (objects.has(Key) && IfNoneMatch === '*') throw new S3ServiceException(412);
      objects.set(Key, Body);
      return {};
    });
  }
}
