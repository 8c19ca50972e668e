/** A fault in a certificate header. The message never quotes the value. */
export class FormFault extends Error {
  override readonly name = 'FormFault';
  readonly fault: 'form' | 'too-many' | 'several-callers';

  constructor(fault: FormFault['fault']) {
    super(fault);
    this.fault = fault;
  }
}
