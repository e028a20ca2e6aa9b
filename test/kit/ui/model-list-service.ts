import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

type ListedModel = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The response to a request for the model list: the models, or a status alone. */
type ModelsAnswer = { readonly models: readonly ListedModel[] } | { readonly status: number };

/** A service that has nothing but a list of models, of the test's choice. */
export class ModelListService implements AsyncDisposable {
  readonly #server: Server;
  answer: ModelsAnswer;
  /** Answers wait for it. */
  ready: Promise<void> = Promise.resolve();

  private constructor(server: Server, answer: ModelsAnswer) {
    this.#server = server;
    this.answer = answer;
  }

  static async open(models: readonly ListedModel[]): Promise<ModelListService> {
    const server = createServer();
    const service = new ModelListService(server, { models });
    server.on('request', async (request, response) => {
      request.resume();
      await service.ready;
      const { answer } = service;
      const status = 'status' in answer ? answer.status : 200;
      const body =
        'status' in answer
          ? { error: { message: `Answered with ${status} on request.`, code: 'asked_for' } }
          : { object: 'list', data: answer.models };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return service;
  }

  /** The base address, with `/v1`. */
  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
    return `http://127.0.0.1:${address.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
