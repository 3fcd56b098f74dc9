// The public entry: everything that other packages and programs may import.
export type { Gateway } from './api/gateway.ts';
export type { SideRoute, SideRoutes } from './api/http-server.ts';
export { jsonResponse, listen } from './api/http-server.ts';
export { readProxyResponse } from './api/proxy-integration.ts';
export type { HttpResponse } from './api/request.ts';
export { openDataFolder } from './data-folder.ts';
export type { Engine } from './engines/dynamodb-engine.ts';
export { engineNames } from './engines/dynamodb-engine.ts';
export {
  cache,
  checkSum,
  dynamoDbLocalCommand,
  installDynamoDbLocal,
  isInstalled,
  jars,
} from './engines/dynamodb-local/install.ts';
export { compileFilters } from './event-sources/filter-pattern.ts';
export type { Loop } from './event-sources/loop.ts';
export { pauseUntil, startLoop } from './event-sources/loop.ts';
export type { InvokeOutcome } from './functions/function-thread.ts';
export { endWithNpm, freePort, startWatched } from './processes.ts';
export type { RunningTemplate } from './run-template.ts';
export { prepareTemplate } from './run-template.ts';
export { synthesize } from './template/assembly.ts';
export type { LocalTemplate } from './template/local-template.ts';
export { LocalStartError } from './template/local-template.ts';
export { saveTemplate, takeTemplate } from './template/saved-template.ts';
