import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { nowMs } from '../../../shared/runtime/clock.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { emit } from '../../../shared/runtime/metrics.ts';
import type { AuthorizerDependencies, AuthorizerEvent } from './authorize.ts';
import { authorize } from './authorize.ts';
import { InvalidToken } from './verify-token.ts';

/**
 * The authorizer as API Gateway calls it: the error `Unauthorized` is its word for 401, any other error becomes a 500, which
 * tells a partner to try again rather than to doubt a good token. Logs hold reasons, never tokens or claims.
 */
export function answering(
  build: () => AuthorizerDependencies,
): (event: AuthorizerEvent) => Promise<APIGatewayAuthorizerResult> {
  let deps: AuthorizerDependencies | undefined;
  return async (event) => {
    try {
      deps ??= build();
      const { answer, reason } = await authorize(event, deps);
      if (reason !== undefined) log('warn', 'token opens nothing', { reason });
      count(reason === undefined ? 'ALLOWED' : 'DENIED');
      return answer;
    } catch (error) {
      if (error instanceof InvalidToken) {
        log('info', 'token refused', { reason: error.reason });
        count('UNAUTHORIZED');
        throw new Error('Unauthorized');
      }
      log('error', 'token not judged', errorFields(error));
      count('FAILED');
      throw error;
    }
  };
}

function count(outcome: 'ALLOWED' | 'DENIED' | 'UNAUTHORIZED' | 'FAILED'): void {
  emit(nowMs(), { outcome }, [{ name: 'Authorizations', unit: 'Count', value: 1 }]);
}
