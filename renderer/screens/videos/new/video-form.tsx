import { type InitialForm, VideoForm } from './form.ts';
import { Button, Stack, Text, Textarea, type TextareaProps } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { StoredImage } from '../../../../shared/image.ts';

import { useCalls } from '../../../api/client.ts';
import { NO_CHARGE } from '../../../../shared/money/charge.ts';
import { useVideoEstimate } from '../../../hooks/use-video-estimate.ts';
import { useIsFree } from '../../../hooks/use-is-free.ts';
import { pluralize } from '../../../../shared/format.ts';
import { Panel } from '../../../components/panel.tsx';
import { FROM_IMAGE } from '../describe-order.ts';
import { ConfirmOrder } from './confirm-order.tsx';
import { ImagesInput } from './images-input.tsx';
import { saveForm } from './form-storage.ts';
import classes from './new-video.module.css';
import { Presets } from './presets.tsx';
import { Fields } from './fields.tsx';
import { type PickedImage, useImages } from '../../../hooks/use-image-picker.ts';
import { useCreateVideos } from './use-create-videos.ts';

/** The form for one or several videos, with the confirmation of their cost. */
export function VideoFormPart({ begin }: { readonly begin: InitialForm }) {
  const form = useForm<VideoForm>({
    initialValues: begin.values,
    validate: schemaResolver(VideoForm, { sync: true }),
  });
  const images = useImages(begin.images, useCalls().videos.image);
  const [problem, setProblem] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const { values } = form;
  const { picked } = images;
  useFormSaving(begin.key, values, picked);
  useEffect(() => setProblem(null), [picked, values.task]);
  const make = useCreateVideos({ begin, form, images });
  const count = Math.max(1, picked.length);
  const ready = (then: () => void, isDraft: boolean) => {
    const validate = (): boolean => {
      const found = uploadProblem(picked) ?? (isDraft ? null : imageProblem(picked, values.task));
      setProblem(found);
      return found === null;
    };
    // All errors are shown at once, not one after another.
    return form.onSubmit(() => {
      if (validate()) then();
    }, validate);
  };
  return (
    <form
      className={classes['form']}
      onSubmit={ready(() => setAsking(true), false)}
      noValidate
      aria-label="New video"
    >
      <Stack gap="md">
        <ImagesInput
          picked={picked}
          onAdd={images.add}
          onRemove={images.remove}
          problem={problem}
        />
        <PromptInput {...form.getInputProps('prompt')} />
      </Stack>
      <Panel title="Settings" aside={<Presets form={form} />}>
        <Fields form={form} />
      </Panel>
      <Footer
        values={values}
        count={count}
        keeping={make.busy === 'draft'}
        onKeep={ready(() => make.create(false), true)}
      />
      <ConfirmOrder
        opened={asking}
        count={count}
        values={values}
        busy={make.busy === 'video'}
        onConfirm={() => make.create(true, () => setAsking(false))}
        onClose={() => setAsking(false)}
      />
    </form>
  );
}

function PromptInput(props: TextareaProps) {
  return (
    <Textarea
      label="Prompt"
      description="Describe what should happen."
      placeholder="The fox runs through fresh snow towards the camera, evening light."
      autosize
      minRows={5}
      maxRows={16}
      {...props}
    />
  );
}

interface FootProps {
  readonly values: VideoForm;
  readonly count: number;
  readonly keeping: boolean;
  readonly onKeep: () => void;
}

/** Shows the number of orders and their cost, and the buttons that order or save a draft. */
function Footer({ values, count, keeping, onKeep }: FootProps) {
  const isSandbox = useIsFree();
  const estimate = useVideoEstimate(values, isSandbox ? null : 'service');
  const price = isSandbox ? '' : ` ${describeEstimate(estimate, count)}`;
  const videos = pluralize(count, 'video');
  const cost = isSandbox ? NO_CHARGE : pluralize(count, 'charge');
  return (
    <div className={classes['footer']}>
      <Text size="sm" c="dimmed" className={classes['price'] ?? ''} role="status">
        {count === 1
          ? `One video: one order, ${isSandbox ? NO_CHARGE : 'one charge'}.`
          : `${pluralize(count, 'image')} make ${videos}: ${cost}.`}
        {price}
      </Text>
      <Button variant="default" loading={keeping} onClick={() => onKeep()}>
        {count === 1 ? 'Save as draft' : 'Save as drafts'}
      </Button>
      <Button type="submit">{count === 1 ? 'Order video…' : `Order ${videos}…`}</Button>
    </div>
  );
}

function describeEstimate(estimate: string | null, count: number): string {
  if (estimate === null) return 'No price known.';
  return `About ${estimate}${count === 1 ? '' : ' each'}.`;
}

/** Saves the input after every change, so that it survives a reload. */
function useFormSaving(key: string, values: VideoForm, picked: readonly PickedImage[]): void {
  useEffect(() => saveForm(key, { values, images: toStored(picked) }), [key, values, picked]);
}

function toStored(picked: readonly PickedImage[]): StoredImage[] {
  return picked.flatMap(({ image }) => image ?? []);
}

function uploadProblem(picked: readonly PickedImage[]): string | null {
  return picked.some(({ problem }) => problem !== null)
    ? 'Remove the image that could not be added.'
    : null;
}

function imageProblem(picked: readonly PickedImage[], task: string): string | null {
  return picked.length === 0 && task.trim() === FROM_IMAGE
    ? `The task ${FROM_IMAGE} makes a video from an image: add one.`
    : null;
}
