import { Button, Stepper } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCalls } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { toastError } from '../../hooks/toast.ts';
import type { ConnectedClient } from './client-form.tsx';
import { ClientStep } from './client-step.tsx';
import { RequestStep } from './request-step.tsx';
import { ServiceStep } from './service-step.tsx';
import classes from './welcome.module.css';

/** From nothing to the first request that is seen here: the service, a client, the request. Can be left and come back to at any time. */
export function Welcome() {
  const [step, setStep] = useState(0);
  // Held here for as long as the screen is open: the local key can be shown this once only.
  const [connected, setConnected] = useState<ConnectedClient | null>(null);
  const leave = useLeaveSetup();
  return (
    <div className={classes['column']}>
      <Page
        title="First steps"
        about="Three steps to the first request that you see pass through Gatehouse."
        actions={
          <Button variant="default" size="xs" onClick={leave}>
            Skip
          </Button>
        }
      >
        <Stepper
          active={step}
          onStepClick={setStep}
          size="sm"
          wrap={false}
          contentPadding="lg"
          classNames={{
            stepBody: classes['stepBody'] ?? '',
            stepLabel: classes['stepLabel'] ?? '',
          }}
        >
          <Stepper.Step label="Service">
            <ServiceStep onDone={() => setStep(1)} />
          </Stepper.Step>
          <Stepper.Step label="Client">
            <ClientStep
              connected={connected}
              onConnected={setConnected}
              onDone={() => setStep(2)}
              onBack={() => setStep(0)}
            />
          </Stepper.Step>
          <Stepper.Step label="Request">
            <RequestStep connected={connected} onDone={leave} onBack={() => setStep(1)} />
          </Stepper.Step>
        </Stepper>
      </Page>
    </div>
  );
}

/** Notes that the first steps are behind this person, and goes home. */
function useLeaveSetup(): () => void {
  const calls = useCalls();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate } = useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: async () => {
        // Home leads back here for as long as it believes otherwise.
        await queries.invalidateQueries({ queryKey: calls.status.get.key() });
        await navigate({ to: '/' });
      },
      onError: (error) => toastError('The first steps could not be ended.', error),
    }),
  );
  return () => mutate({ setUp: true });
}
