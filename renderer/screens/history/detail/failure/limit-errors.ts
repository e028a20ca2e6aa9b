/** Texts for refusals by the limits of a client, by code. */
export const LIMIT_ERRORS = {
  local_limit_reached: {
    title: 'Refused by a limit',
    meaning: 'It would exceed a limit of the client, or of all clients. Nothing was sent.',
    advice: ['The message below names the limit and its reset. Change it in Clients.'],
    place: 'limits',
  },
  local_model_refused: {
    title: 'The client may not use this model',
    meaning: 'Its models are limited in Clients. Nothing was sent.',
    advice: ['Use one of the models that the message below names, or change them in Clients.'],
    place: 'limits',
  },
  local_agent_stopped: {
    title: 'The agent was stopped',
    meaning:
      'Its agent called a tool with the same arguments again and again, or sent many requests without a message of a person, or a person stopped it. Nothing was sent.',
    advice: ['Look at its run in History. Let it go on under Home.'],
    place: null,
  },
  local_rate_reached: {
    title: 'Too many requests for a limit',
    meaning: 'A limit for requests at once, or within a minute, was reached. Nothing was sent.',
    advice: ['Run fewer requests at once, or change the limit in Clients.'],
    place: 'limits',
  },
} as const;
