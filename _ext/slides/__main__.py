from _ext.slides import main

main()
