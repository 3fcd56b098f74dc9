// The public entry: everything that other packages and programs may import.
export { createConsole } from './server/console.ts';
export { buildPage } from './server/page-files.ts';
export { createRequestLog } from './server/requests.ts';
export { consoleTool } from './tool.ts';
