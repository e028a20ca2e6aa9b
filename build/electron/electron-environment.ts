/**
 * The environment for a start of Electron as an app. Programs that are made with Electron, editors with a terminal among them, hand
 * ELECTRON_RUN_AS_NODE on, which would make it a Node.js without a window.
 */
export function environmentOfElectron(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _asNode, ...rest } = environment;
  return rest;
}
