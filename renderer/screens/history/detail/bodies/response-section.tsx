import { useMemo } from 'react';
import { assembleResponse } from '../../../../../shared/parse-bodies/assemble-response.ts';
import { timeEvents } from '../../../../../shared/parse-bodies/event-stream.ts';
import { BodySection, NoBody } from './body-section.tsx';
import { EventsView } from './events-view.tsx';
import { RawView } from './raw-view.tsx';
import type { SectionProps } from './request-section.tsx';
import { ResponseText } from './response-text.tsx';

/** Shows the response: as text, as the events of its stream, and as it was sent. */
export function ResponseSection({ bodies: { returned, state }, protocol }: SectionProps) {
  const isRunning = state === 'running';
  const response = useMemo(
    () => (protocol === null || returned === null ? null : assembleResponse(protocol, returned)),
    [protocol, returned],
  );
  if (returned === null) {
    return (
      <NoBody title="Response">
        {isRunning ? 'Nothing has arrived yet.' : 'No body was returned, or it is not stored.'}
      </NoBody>
    );
  }
  return (
    <BodySection
      title="Response"
      body={returned}
      views={[
        ...(response === null
          ? []
          : [
              {
                label: 'Text',
                show: () => (
                  <ResponseText
                    response={response}
                    isRunning={isRunning}
                    hasGap={returned.omitted !== null}
                  />
                ),
              },
            ]),
        ...(returned.eventTimes === null
          ? []
          : [{ label: 'Events', show: () => <EventsOf body={returned} /> }]),
        { label: 'Raw', show: () => <RawView body={returned} what="the response" /> },
      ]}
    />
  );
}

function EventsOf({ body }: { readonly body: Parameters<typeof timeEvents>[0] }) {
  const events = useMemo(() => timeEvents(body), [body]);
  return <EventsView events={events} />;
}
