import { LocalStartError } from './template/local-template.ts';

/** What a local run can be told from outside. */
export interface LocalOptions {
  readonly port: number;
  readonly folder: string;
  /** Waits between the attempts of a delivery, whole seconds, as the functions read them. */
  readonly retryDelaysSeconds: string;
  readonly dynamodbEndpoint: string | undefined;
}

/**
 * Environment variables of `npm start`:
 *
 * | Variable                    | Default     | Meaning                                                                |
 * |-----------------------------|-------------|------------------------------------------------------------------------|
 * | `PORT`                      | `3000`      | port of API and token issuer on 127.0.0.1; 0 for any free one          |
 * | `LOCAL_DIR`                 | `.local`    | folder of the data, kept between runs                                  |
 * | `RETRY_DELAYS_SECONDS`      | `1,2,4,8`   | waits between the attempts of a delivery                               |
 * | `AWS_ENDPOINT_URL_DYNAMODB` | (embedded)  | another DynamoDB endpoint, where the embedded engine has no binary     |
 *
 * Variables of functions that only a run knows replace what the template gives (see `runtimeOverrides`); nothing else does.
 *
 * @throws {LocalStartError} naming the variable that is wrong.
 */
export function readOptions(environment: Readonly<Record<string, string | undefined>>): LocalOptions {
  const port = environment['PORT'] ?? '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new LocalStartError(`PORT must be a number from 0 to 65535, not ${port}.`);
  const retryDelaysSeconds = environment['RETRY_DELAYS_SECONDS'] ?? '1,2,4,8';
  if (!/^\d+(,\d+)*$/.test(retryDelaysSeconds)) {
    throw new LocalStartError(
      `RETRY_DELAYS_SECONDS must be whole seconds with commas between them, not ${retryDelaysSeconds}.`,
    );
  }
  return {
    port: Number(port),
    folder: environment['LOCAL_DIR'] ?? '.local',
    retryDelaysSeconds,
    dynamodbEndpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'],
  };
}

/**
 * Values that no template can know, by the function variable that they replace where the template sets it:
 *
 * | Variable               | Value                                             |
 * |------------------------|---------------------------------------------------|
 * | `RETRY_DELAYS_SECONDS` | from the environment of the run                   |
 * | `TOKEN_ISSUERS`        | base URL of the local token issuer                |
 * | `TOKEN_JWKS_URI`       | address of its published keys                     |
 */
export function runtimeOverrides(
  options: LocalOptions,
  issuer: { readonly baseUrl: string; readonly jwksUri: string },
): Record<string, string> {
  return {
    RETRY_DELAYS_SECONDS: options.retryDelaysSeconds,
    TOKEN_ISSUERS: issuer.baseUrl,
    TOKEN_JWKS_URI: issuer.jwksUri,
  };
}
