from tools.grading.grade import main

main()
