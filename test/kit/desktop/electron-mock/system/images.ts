import { existsSync } from 'node:fs';
import type { NativeImage as ElectronImage, Size } from 'electron';
import { strictly } from '../strict-mock.ts';

/** An image that is known by its file. */
export class NativeImage implements Pick<
  ElectronImage,
  'getSize' | 'isEmpty' | 'isTemplateImage' | 'setTemplateImage'
> {
  readonly file: string;
  #template = false;

  constructor(file: string) {
    this.file = file;
  }

  /** A file that is not there makes an empty image: nothing else tells of it. */
  isEmpty(): boolean {
    return !existsSync(this.file);
  }

  getSize(): Size {
    return this.isEmpty() ? { width: 0, height: 0 } : { width: 24, height: 24 };
  }

  isTemplateImage(): boolean {
    return this.#template;
  }

  setTemplateImage(template: boolean): void {
    this.#template = template;
  }
}

export const nativeImage = strictly('nativeImage', {
  createFromPath: (file: string) => new NativeImage(file),
  createEmpty: () => new NativeImage(''),
});
