/**
 * Returns the environment for starting Electron as an app. Programs made with Electron, such as editors with a terminal, pass on
 * ELECTRON_RUN_AS_NODE, which would turn it into a Node.js without a window.
 */
export function environmentOfElectron(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _asNode, ...rest } = environment;
  return rest;
}
