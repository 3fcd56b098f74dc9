import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readLocalSecret, writeLocalSecret } from './local-environment.ts';

/** Store of the bank secrets that the functions of an environment read. */
export type BankSecrets = {
  readonly fetch: (name: string) => Promise<string | undefined>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Removes a secret, if it exists. On AWS it can be restored for 30 days. */
  readonly remove: (name: string) => Promise<void>;
  /** Banks on this machine may be connected: only in the local environment. */
  readonly allowLocal: boolean;
};

/** Secrets Manager of the shell's AWS credentials and region. */
export function awsBankSecrets(): BankSecrets {
  const client = new SecretsManagerClient({});
  return {
    allowLocal: false,
    fetch: async (SecretId) => {
      try {
        return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
    write: async (Name, SecretString) => {
      try {
        await client.send(new CreateSecretCommand({ Name, SecretString }));
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error;
        await client.send(new PutSecretValueCommand({ SecretId: Name, SecretString }));
      }
    },
    remove: async (SecretId) => {
      try {
        await client.send(new DeleteSecretCommand({ SecretId }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}

/** Opens the secrets in the folder of a local environment. */
export function localBankSecrets(folder: string): BankSecrets {
  return {
    allowLocal: true,
    fetch: (name) => Promise.resolve(readLocalSecret(folder, name)),
    write: (name, text) => {
      writeLocalSecret(folder, name, text);
      return Promise.resolve();
    },
    remove: (name) => {
      writeLocalSecret(folder, name, undefined);
      return Promise.resolve();
    },
  };
}
