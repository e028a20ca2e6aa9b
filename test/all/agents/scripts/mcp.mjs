#!/usr/bin/env node
// A server of the Model Context Protocol over its standard input and output, with twenty tools that paint doors.
import { createInterface } from 'node:readline';

const tools = Array.from({ length: 20 }, (_, place) => ({
  name: `paint_door_${place + 1}`,
  description: `Paints door ${place + 1}.`,
  inputSchema: {
    type: 'object',
    properties: { colour: { type: 'string', description: `Colour of door ${place + 1}` } },
    required: ['colour'],
  },
}));

/** Returns the result of a request; `null` for a method that there is not. */
function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'doors', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return {
        content: [{ type: 'text', text: `${params.name} is ${params.arguments.colour} now.` }],
      };
    default:
      return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // Notifications have no id, and get no answer.
  if (id === undefined) continue;
  const result = answer(method, params);
  const rest =
    result === null ? { error: { code: -32601, message: `No method ${method}.` } } : { result };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
}
