/** The receiver of a Pix by account, as in the bank's example. */
export const pixTarget = {
  account_branch: '0001',
  account_digit: '3',
  account_number: '12345678',
  owner_document_number: '32402502000135',
  owner_name: 'Qi Tech',
  account_type: 'checking_account',
  ispb: '32402502',
};

/** The receiver of a TED, as in the bank's example. */
export const tedTarget = {
  account_branch: '0001',
  account_number: '92796',
  account_digit: '1',
  owner_document_number: '23599885000192',
  owner_name: 'Titular da Conta',
  ispb: '12345678',
  account_type: 'checking_account',
};
