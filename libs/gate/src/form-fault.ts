/** What is wrong with a header in which a certificate stands; its value is never quoted. */
export class FormFault extends Error {
  override readonly name = 'FormFault';
  readonly fault: 'form' | 'too-many' | 'several-callers';

  constructor(fault: FormFault['fault']) {
    super(fault);
    this.fault = fault;
  }
}
