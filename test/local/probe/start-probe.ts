import { startLocal, type LocalEnvironment } from '../../../infra/local/start-local.ts';
import { buildProbe } from './probe-app.ts';

/** Starts the probe on a folder; what it reports is thrown away unless somebody listens. */
export function startProbe(
  folder: string,
  report: (line: string) => void = () => undefined,
): Promise<LocalEnvironment> {
  return startLocal({
    options: { port: 0, folder, retryDelaysSeconds: '1,2', dynamodbEndpoint: undefined },
    buildApp: buildProbe,
    stage: 'Probe',
    audience: 'api://app-order-hml',
    report,
  });
}
