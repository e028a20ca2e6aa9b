import { Button, Collapse, Stack, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { type UpstreamFormHandle, hostPlaceholder } from './upstream-form.ts';

/** The input for the service's name. */
export function NameInput({ form }: { readonly form: UpstreamFormHandle }) {
  return (
    <TextInput
      label="Name"
      description="Optional. Defaults to the host name."
      placeholder={hostPlaceholder(form.values.baseUrl)}
      {...form.getInputProps('name')}
    />
  );
}

/** The advanced connection settings, collapsed by default. */
export function Connection({ form }: { readonly form: UpstreamFormHandle }) {
  const { caFile, proxyUrl, versionVendor, asksCacheReason } = form.getInitialValues();
  const [unfolded, { toggle }] = useDisclosure(
    caFile !== null ||
      proxyUrl !== null ||
      versionVendor !== 'anthropic' ||
      asksCacheReason === true,
  );
  const wrong = ['caFile', 'proxyUrl', 'versionVendor'].some((field) => field in form.errors);
  const open = unfolded || wrong;
  const id = useId();
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={open}
        aria-controls={id}
        leftSection={open ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
      >
        Connection
      </Button>
      <Collapse expanded={open} id={id} transitionDuration={120}>
        <Stack gap="md" pt="xs">
          <TextInput
            label="Version header"
            description="The vendor in the version header of the Messages protocol."
            {...form.getInputProps('versionVendor')}
          />
          <OptionalInput
            form={form}
            field="proxyUrl"
            label="Proxy"
            description="The address of an HTTP proxy between Gatehouse and the service."
            placeholder="http://proxy.example.com:3128"
          />
          <OptionalInput
            form={form}
            field="caFile"
            label="Additional certificates"
            description="Path of a PEM file with additional certificate authorities to trust."
            placeholder="/etc/ssl/company.pem"
          />
          <Switch
            label="Ask why the prompt cache missed"
            description="Adds a field with the id of the answer before to requests of Messages and Responses; nothing else in them changes. Some services refuse it: Gatehouse then leaves it out."
            {...form.getInputProps('asksCacheReason', { type: 'checkbox' })}
          />
        </Stack>
      </Collapse>
    </div>
  );
}

interface OptionalProps {
  readonly form: UpstreamFormHandle;
  readonly field: 'caFile' | 'proxyUrl';
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
}

/** An empty input means none. */
function OptionalInput({ form, field, ...texts }: OptionalProps) {
  const { error, onBlur, onFocus } = form.getInputProps(field);
  return (
    <TextInput
      {...texts}
      error={error}
      onBlur={onBlur}
      onFocus={onFocus}
      spellCheck={false}
      value={form.values[field] ?? ''}
      onChange={({ currentTarget: { value } }) =>
        form.setFieldValue(field, value.trim() === '' ? null : value)
      }
    />
  );
}
