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

/** The first steps: service, client, first request. They can be left and resumed at any time. */
export function Welcome() {
  const [step, setStep] = useState(0);
  // Kept while the screen is open: the local key can be shown only once.
  const [connected, setConnected] = useState<ConnectedClient | null>(null);
  const leave = useLeaveSetup();
  return (
    <div className={classes['column']}>
      <Page
        title="First steps"
        about="Three steps to your first request."
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

/** Records that the first steps are done, and opens Home. */
function useLeaveSetup(): () => void {
  const calls = useCalls();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate } = useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: async () => {
        // Home redirects back here until its cached state is updated.
        await queries.invalidateQueries({ queryKey: calls.status.get.key() });
        await navigate({ to: '/' });
      },
      onError: (error) => toastError('Could not finish the first steps.', error),
    }),
  );
  return () => mutate({ setUp: true });
}
